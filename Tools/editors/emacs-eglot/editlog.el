;;; editlog.el --- EditLog in Emacs, with eglot  -*- lexical-binding: t -*-

;; Every file that is visited is sent to `editlog lsp', unless its mode has another server: eglot
;; runs one server in a buffer.

(require 'eglot)

(add-to-list 'eglot-server-programs
             '((text-mode prog-mode conf-mode fundamental-mode) . ("editlog" "lsp"))
             'append)

;; Edits that `editlog append', `undo' and `redo' ask for are made without a question; eglot would ask,
;; and they would be refused after two seconds. This concerns all servers.
(setq eglot-confirm-server-initiated-edits nil)

(defun editlog-ensure ()
  "Start EditLog's server for this buffer if its mode has no other server."
  (when (and buffer-file-name
             (member "editlog" (flatten-tree (eglot--lookup-mode major-mode))))
    (eglot-ensure)))

(add-hook 'find-file-hook #'editlog-ensure)
;; A buffer that gets its file by `write-file'.
(add-hook 'after-save-hook #'editlog-ensure)

;; LSP does not tell what kind of change is made. These hooks do, for undo, redo and paste.

(defvar editlog--annotating nil
  "Non-nil while changes are made of which EditLog is told the origin.")

(defun editlog--server ()
  "The connection of this buffer to EditLog; nil if it has none."
  (let ((server (eglot-current-server)))
    (and server buffer-file-name
         (equal (plist-get (eglot--server-info server) :name) "editlogd")
         server)))

(defun editlog--annotate (annotation)
  "Send the changes so far, and that the next ones have ANNOTATION."
  (eglot--signal-textDocument/didChange)
  (jsonrpc-notify (editlog--server) :editlog/annotate
                  (append (list :document
                                (plist-get (eglot--TextDocumentIdentifier) :uri))
                          annotation)))

(defun editlog-during (annotation function &rest arguments)
  "Call FUNCTION with ARGUMENTS, and return its value.
The changes that it makes in the current buffer are logged with ANNOTATION, a
property list of :origin, :author or :agent, as in (:agent \"NAME\")."
  (if (or editlog--annotating (not (editlog--server)))
      (apply function arguments)
    (let ((editlog--annotating t) (buffer (current-buffer)))
      (editlog--annotate annotation)
      (unwind-protect (apply function arguments)
        (when (buffer-live-p buffer)
          (with-current-buffer buffer (editlog--annotate nil)))))))

(pcase-dolist (`(,origin . ,commands)
               '(("undo" undo) ("redo" undo-redo)
                 ("paste" yank yank-pop xterm-paste mouse-yank-primary)))
  (dolist (command commands)
    (advice-add command :around (apply-partially #'editlog-during (list :origin origin))
                (list (cons 'name (intern (format "editlog-%s" command)))))))

(provide 'editlog)
;;; editlog.el ends here
