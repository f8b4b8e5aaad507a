import start from "./app/example_rust_web.js";

await start({ module_or_path: new URL("app/example_rust_web_bg.wasm", import.meta.url) });
