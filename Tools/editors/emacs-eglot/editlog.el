;;; editlog.el --- EditLog in Emacs, with eglot  -*- lexical-binding: t -*-

;; Every file that is visited is sent to `editlog lsp', unless its mode has another server: eglot
;; runs one server in a buffer.

(require 'eglot)

(add-to-list 'eglot-server-programs
             '((text-mode prog-mode conf-mode fundamental-mode) . ("editlog" "lsp"))
             'append)

(defun editlog-ensure ()
  "Start EditLog's server for this buffer if its mode has no other server."
  (when (and buffer-file-name
             (member "editlog" (flatten-tree (eglot--lookup-mode major-mode))))
    (eglot-ensure)))

(add-hook 'find-file-hook #'editlog-ensure)
;; A buffer that gets its file by `write-file'.
(add-hook 'after-save-hook #'editlog-ensure)

(provide 'editlog)
;;; editlog.el ends here
