;;; editlog-lsp.el --- EditLog in Emacs, with lsp-mode  -*- lexical-binding: t -*-

;; Every file that is visited is sent to `editlog lsp', beside the other servers of its mode.

(require 'lsp-mode)

(lsp-register-client
 (make-lsp-client :new-connection (lsp-stdio-connection '("editlog" "lsp"))
                  :activation-fn (lambda (_file _mode) t)
                  :language-id (lambda (_buffer) "text")
                  :add-on? t
                  :server-id 'editlog))

;; Without this lsp-mode asks for the project of each file.
(setq lsp-auto-guess-root t)
(add-hook 'find-file-hook #'lsp)

;; LSP does not tell what kind of change is made. These hooks do, for undo, redo and paste.

(defvar editlog--annotating nil
  "Non-nil while changes are made of which EditLog is told the origin.")

(defun editlog--server ()
  "The workspace of this buffer at EditLog; nil if it has none."
  (and buffer-file-name
       (seq-find (lambda (workspace) (eq (lsp--workspace-server-id workspace) 'editlog))
                 (lsp-workspaces))))

(defun editlog--annotate (annotation)
  "Send the changes so far, and that the next ones have ANNOTATION."
  (lsp--flush-delayed-changes)
  (with-lsp-workspace (editlog--server)
    (lsp-notify "editlog/annotate"
                (append (list :document (lsp--buffer-uri)) annotation))))

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

(provide 'editlog-lsp)
;;; editlog-lsp.el ends here
