// A reporter of Node's test runner: a JSON line for each failed test, with its file and name.

export default async function* failedTests(events) {
  for await (const { type, data } of events) {
    // A suite fails with its tests, unless it fails by itself, in a hook.
    const byTests = data?.details?.error?.failureType === "subtestsFailed";
    if (type === "test:fail" && !byTests && data.todo === undefined && data.skip === undefined)
      yield `${JSON.stringify({ file: data.file, name: data.name })}\n`;
  }
}
