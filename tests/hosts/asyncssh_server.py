"""An SSH server of asyncssh, with users whose questions are as a test wants them.

Run by other_servers.py with one argument, a JSON object: port, host_key, home (HOME of the commands it runs); users: name ->
keys (a file), password, or challenge (title, instruction, questions: [prompt, echo, answers]), where a question has several
answers if each counts once.
"""

import asyncio
import json
import os
import signal
import sys

import asyncssh

SPEC = json.loads(sys.argv[1])
SPENT = set()


class Server(asyncssh.SSHServer):
    """One connection."""

    def connection_made(self, conn):
        self._connection = conn
        print("connected", flush=True)

    def begin_auth(self, username):
        self._user = SPEC["users"][username]
        if self._user.get("keys"):
            self._connection.set_authorized_keys(self._user["keys"])
        return True

    def password_auth_supported(self):
        return "password" in self._user

    def validate_password(self, username, password):
        return password == SPEC["users"][username].get("password")

    def kbdint_auth_supported(self):
        return "challenge" in self._user

    def get_kbdint_challenge(self, username, lang, submethods):
        challenge = SPEC["users"][username].get("challenge")
        if challenge is None:
            return False
        title, instruction, questions = challenge
        return title, instruction, "", [(prompt, echo) for prompt, echo, _ in questions]

    def validate_kbdint_response(self, username, responses):
        questions = SPEC["users"][username]["challenge"][2]
        for (_, _, answers), given in zip(questions, responses):
            if given not in answers or (username, given) in SPENT:
                print("refused", flush=True)
                return False
        SPENT.update((username, given) for (_, _, answers), given in zip(questions, responses) if len(answers) > 1)
        return True


async def run(process):
    """A program with its three streams, ended with the channel."""
    child = await asyncio.create_subprocess_exec("/bin/sh", "-c", process.command, stdin=asyncio.subprocess.PIPE,
                                                 stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
                                                 env={**os.environ, "HOME": SPEC["home"]}, start_new_session=True)
    try:
        await process.redirect(stdin=child.stdin, stdout=child.stdout, stderr=child.stderr)
        process.exit(await child.wait())
    finally:
        if child.returncode is None:
            os.killpg(child.pid, signal.SIGKILL)
            await child.wait()


async def main():
    await asyncssh.create_server(Server, "127.0.0.1", SPEC["port"], server_host_keys=[SPEC["host_key"]], encoding=None,
                                 process_factory=run)
    await asyncio.get_running_loop().create_future()


asyncio.run(main())
