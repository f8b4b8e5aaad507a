import { app } from "./vue-app.mjs";

app().mount("#app");
