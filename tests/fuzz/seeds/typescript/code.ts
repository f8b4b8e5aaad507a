/** Kilns. */
export interface K<T> { fire(heat: number): T; readonly x?: string }
export default class A extends B implements K<1> { #p = 1; static async *g() {} }
const f = (a: number) => a;
declare module "x" { export type T = "a" | `b${string}`; }
enum E { A = 1 }
