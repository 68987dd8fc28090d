#!/bin/sh
# Makes the secrets of compose.yaml in deploy/secrets, or in the folder given. What is there is left as it is.
#
# The folder can be entered by its user alone. The files can be read by everybody: a container has them under a user of
# its own, and Compose mounts files with the permissions that they have.
set -eu
folder="${1:-$(dirname "$0")/secrets}"
mkdir -p "$folder"
chmod 0700 "$folder"
umask 0222

random() {
    head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n'
}

new() {
    if [ ! -e "$folder/$1" ]; then
        printf '%s' "$2" >"$folder/$1.new"
        mv "$folder/$1.new" "$folder/$1"
        echo "made $folder/$1"
    fi
}

new postgres_password "$(random)"
new archive_password "$(random)"
new archive_database_url "postgresql://archive:$(cat "$folder/archive_password")@database:5432/archive"
new archive_ui_token "$(random)"
