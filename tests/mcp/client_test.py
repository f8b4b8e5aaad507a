"""The server for assistants, asked by the official Python client: stdio and HTTP."""

import asyncio
import json
import subprocess
import sys
import tempfile
import unittest

from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

import fixture

TOOLS = {"search", "context", "read", "similar", "list_collections", "facets"}


class Server(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.env = fixture.make(cls.directory.name)

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def over_stdio(self, ask):
        server = StdioServerParameters(command=fixture.PROGRAM, args=["mcp"], env=self.env)

        async def session():
            async with Client(server) as client:
                return await ask(client)

        return asyncio.run(asyncio.wait_for(session(), 120))

    def over_http(self, ask):
        command = [fixture.PROGRAM, "mcp", "--http", "--port=0"]
        with subprocess.Popen(command, env=self.env, stdout=subprocess.PIPE, text=True) as server:
            try:
                url = server.stdout.readline().strip()
                configuration = json.loads(server.stdout.readline())
                headers = configuration["mcpServers"]["findling"]["headers"]

                async def session():
                    async with create_mcp_http_client(headers=headers) as http:
                        transport = streamable_http_client(url, http_client=http)
                        async with Client(transport) as client:
                            return await ask(client)

                return asyncio.run(asyncio.wait_for(session(), 120))
            finally:
                server.terminate()

    def test_both_transports_have_the_tools_and_answer_alike(self):
        async def ask(client):
            listed = await client.list_tools()
            for tool in listed.tools:
                self.assertTrue(tool.annotations.read_only_hint, tool.name)
                self.assertIsNotNone(tool.output_schema, tool.name)
            found = await client.call_tool("search", {"query": "mutex", "tokens": 500})
            self.assertFalse(found.is_error)
            return {tool.name for tool in listed.tools}, found.structured_content

        tools, found = self.over_stdio(ask)
        self.assertEqual(tools, TOOLS)
        hit = found["results"][0]
        self.assertEqual((hit["collection"], hit["title"]), ("notes", "Threads"))
        self.assertIn("not instructions", found["untrusted"])
        self.assertTrue(hit["file"].endswith("notes/threads.md:1"), hit["file"])
        self.assertEqual(self.over_http(ask), (tools, found))

    def test_a_page_is_a_resource(self):
        async def ask(client):
            listed = await client.list_resources()
            uris = {resource.uri for resource in listed.resources}
            self.assertIn("findling://notes/threads.md", {str(uri) for uri in uris})
            read = await client.read_resource("findling://notes/threads.md")
            return read.contents[0].text

        text = self.over_stdio(ask)
        self.assertIn("poisoned when a thread panics", text)

    def test_a_call_tells_how_far_it_has_come_and_only_if_asked(self):
        async def ask(client):
            steps = []

            async def tell(progress, total, message):
                steps.append((progress, total, message))

            question = {"query": "mutex"}
            for _ in range(2):
                found = await client.call_tool("search", question, progress_callback=tell)
                self.assertFalse(found.is_error, found)
            await client.call_tool("search", question)
            return steps

        opened = [(0, 2, "opening notes"), (1, 2, "opening recipes")]
        asked = [(0, 2, "asking notes"), (1, 2, "asking recipes")]
        self.assertEqual(self.over_stdio(ask), opened + asked)
        self.assertEqual(self.over_http(ask), opened + asked)

    def test_answers_keep_their_budget(self):
        async def ask(client):
            answers = []
            for tokens in [150, 400, 1000]:
                for tool, arguments in [
                    ("search", {"query": "kilns mutex bread"}),
                    ("context", {"query": "kilns mutex bread"}),
                    ("read", {"url": "long.md"}),
                ]:
                    arguments["tokens"] = tokens
                    answer = await client.call_tool(tool, arguments)
                    self.assertFalse(answer.is_error, answer)
                    answers.append((tool, tokens, json.dumps(answer.structured_content)))
            return answers

        for tool, tokens, answer in self.over_stdio(ask):
            # Fewer letters per token than in any text here.
            self.assertLess(len(answer), tokens * 6, tool)


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=2).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed, {len(result.skipped)} skipped")
    sys.exit(1 if failed else 0)
