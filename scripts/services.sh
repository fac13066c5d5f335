#!/usr/bin/env bash
# Starts MariaDB and NATS for the tests, installing them from Debian's packages when they are missing. Needs root.
set -euo pipefail

listening() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

wait_for() {
  for _ in $(seq 1 60); do
    listening "$1" && return 0
    sleep 0.5
  done
  echo "nothing listens on 127.0.0.1:$1 after 30 s" >&2
  return 1
}

if ! listening 3306; then
  command -v mariadbd >/dev/null || { apt-get update -q && apt-get install -qy mariadb-server; }
  mkdir -p /run/mysqld && chown mysql:mysql /run/mysqld
  start-stop-daemon --start --oknodo --background --exec /usr/sbin/mariadbd -- --user=mysql --bind-address=127.0.0.1
  wait_for 3306
  # The tests connect as root without a password, over TCP, from this machine only.
  mariadb -e "ALTER USER 'root'@'localhost' IDENTIFIED BY ''; FLUSH PRIVILEGES"
fi
echo "MariaDB listens on 127.0.0.1:3306"

if ! listening 4222; then
  command -v nats-server >/dev/null || { apt-get update -q && apt-get install -qy nats-server; }
  start-stop-daemon --start --oknodo --background --exec "$(command -v nats-server)" -- -a 127.0.0.1 -p 4222 -js -sd "${TMPDIR:-/tmp}/signalbook-nats"
  wait_for 4222
fi
echo "NATS with JetStream listens on 127.0.0.1:4222"
