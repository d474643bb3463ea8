;;; settings.el --- Emacs under Tools/check-editors  -*- lexical-binding: t -*-

;; Nothing that asks, writes files of its own, or changes what is typed.
(setq make-backup-files nil auto-save-default nil create-lockfiles nil
      inhibit-startup-screen t ring-bell-function #'ignore electric-indent-mode nil
      native-comp-deferred-compilation nil native-comp-async-report-warnings-errors nil
      custom-file (expand-file-name "custom.el" (getenv "HOME")))
(electric-indent-mode -1)
(fset 'yes-or-no-p #'y-or-n-p)
(prefer-coding-system 'utf-8)
(set-keyboard-coding-system 'utf-8)
(set-language-environment "UTF-8")

(require 'server)

(defun check-listen (socket)
  "Answer emacsclient at SOCKET."
  (setq server-socket-dir (file-name-directory socket)
        server-name (file-name-nondirectory socket))
  (server-start))

(defun check-write (file out)
  "Write the buffer of FILE, whole and in UTF-8, to OUT.  Return t if there is such a buffer."
  (let ((buffer (get-file-buffer file)))
    (when buffer
      (with-current-buffer buffer
        (save-restriction
          (widen)
          (let ((coding-system-for-write 'utf-8-emacs-unix)
                (last-coding-system-used nil)
                (write-region-inhibit-fsync t))
            (write-region nil nil out nil 'silent))))
      t)))
;;; settings.el ends here
