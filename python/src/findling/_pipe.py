"""Talks with the program over pipes: a JSON object a line, as `docs/tables.md` describes it."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
import weakref
from typing import IO, Any, Dict, List, Mapping, Optional, Sequence, Tuple, cast

from ._program import FindlingError, program
from ._words import in_python

#: Version of the protocol.
PROTOCOL = 1

#: Largest number of bytes of the program's messages that an error quotes.
_QUOTED = 2000


class Pipe:
    """A program that answers requests.

    The first request starts it. It ends with this process, because its standard input is then
    closed, even if this process is killed. A forked process starts its own program. Only one thread
    sends a request at a time.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        self._arguments = list(arguments)
        self._lock = threading.Lock()
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._errors: Optional[IO[bytes]] = None
        self._owner = 0
        self._greeting: Dict[str, Any] = {}
        self._next = 0
        self._finish: Optional[weakref.finalize[..., Any]] = None

    def greeting(self) -> Dict[str, Any]:
        """Starts the program and returns its description of itself."""
        with self._lock:
            self._start()
            return self._greeting

    def ask(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        """The answer to a request.

        Raises FindlingError if the program refuses it, cannot be started, or ends.
        """
        with self._lock:
            self._start()
            self._next += 1
            answer = self._exchange({"id": self._next, **request})
            if "error" not in answer and answer.get("id") != self._next:
                self._stop()
                raise FindlingError(
                    f"expected the answer {self._next} of the program, found {answer.get('id')!r}: "
                    "install the package again, so that both have the same version"
                )
        _raise_error(answer)
        return answer

    def close(self) -> None:
        """Ends the program. The next request starts it again."""
        with self._lock:
            self._stop()

    def _start(self) -> None:
        process = self._process
        if process is not None and self._owner == os.getpid() and process.poll() is None:
            return
        if process is not None and self._owner == os.getpid():
            self._stop()
        errors = tempfile.TemporaryFile()
        command = [program(), "--quiet", *self._arguments, "--pipe"]
        try:
            started = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
            )
        except OSError as error:
            errors.close()
            raise FindlingError(f"{command[0]} cannot be started: {error}") from error
        self._process, self._errors, self._owner = started, errors, os.getpid()
        self._finish = weakref.finalize(self, _end, started, errors, self._owner)
        greeting = self._receive()
        if "error" in greeting:
            self._stop()
            _raise_error(greeting)
        if greeting.get("protocol") != PROTOCOL:
            self._stop()
            raise FindlingError(
                f"expected a program with version {PROTOCOL} of the protocol, found "
                f"{greeting.get('protocol')!r} of {command[0]}: install the package findling again"
            )
        self._greeting = greeting

    def _exchange(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        process = self._process
        assert process is not None and process.stdin is not None
        line = json.dumps(request, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
        try:
            process.stdin.write(line)
            process.stdin.flush()
        except OSError:
            # It has ended; its messages are read below.
            pass
        except BaseException:
            # Half of a line must not be the beginning of the next request.
            self._stop()
            raise
        return self._receive()

    def _receive(self) -> Dict[str, Any]:
        process = self._process
        assert process is not None and process.stdout is not None
        try:
            line = process.stdout.readline()
        except BaseException:
            # An answer that was not read must not become the answer to the next request.
            self._stop()
            raise
        if line.endswith(b"\n"):
            return cast(Dict[str, Any], json.loads(line))
        told, status = self._told(), process.wait()
        self._stop()
        raise FindlingError(
            f"the program ended with status {status} before it answered"
            + (f": {in_python(told)}" if told else "")
        )

    def _told(self) -> str:
        if self._errors is None:
            return ""
        end = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, end - _QUOTED))
        return self._errors.read().decode("utf-8", "replace").strip()

    def _stop(self) -> None:
        if self._finish is not None and self._owner == os.getpid():
            self._finish()
        self._process = self._errors = self._finish = None

    def __getstate__(self) -> List[str]:
        return self._arguments

    def __setstate__(self, arguments: List[str]) -> None:
        self.__init__(arguments)  # type: ignore[misc]


def _end(process: subprocess.Popen[bytes], errors: IO[bytes], owner: int) -> None:
    """Ends a program that this process started."""
    if owner != os.getpid():
        return
    for stream in (process.stdin, process.stdout):
        try:
            if stream is not None:
                stream.close()
        except OSError:
            pass
    try:
        process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    errors.close()


def _raise_error(answer: Mapping[str, Any]) -> None:
    error = answer.get("error")
    if error is not None:
        raise FindlingError(in_python(": ".join([error["message"], *error.get("causes", [])])))


def options_of(named: Sequence[Tuple[str, Optional[object]]]) -> List[str]:
    """Arguments of options that have a value."""
    return [f"--{name}={value}" for name, value in named if value is not None]
