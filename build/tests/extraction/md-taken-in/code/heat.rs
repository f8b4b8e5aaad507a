fn cold() {}
// ANCHOR: hot
fn heat_up() {}
// ANCHOR_END: hot
