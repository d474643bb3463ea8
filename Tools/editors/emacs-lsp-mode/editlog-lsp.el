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

(provide 'editlog-lsp)
;;; editlog-lsp.el ends here
