/** Types of the server's answers (`build/src/commands/application`). */

import type { Response } from "../engine-types";
import type { Description, PageResult } from "../types";

/** An error for people and programs. */
export interface Failure {
  code: string;
  message: string;
  causes?: string[];
}

/** The message of an error with its causes. */
export const messageOf = ({ message, causes = [] }: Failure) => [message, ...causes].join(": ");

/** A collection. The bundle's description is missing if it was never built. */
export interface Card {
  name: string;
  settings: { kind: string; paths: string[]; encoder: string };
  /** The paths for people. */
  sources: string[];
  isBuilt: boolean;
  isSyncing: boolean;
  synced?: string;
  files?: number;
  pages?: number;
  sections?: number;
  bundleBytes?: number;
  unreadable?: number;
  languages: string[];
  hasMeaning: boolean;
  attributes: Description["attributes"];
  error?: Failure;
}

/** The progress of a sync. */
export interface Step {
  verb: string;
  message: string;
  done: number;
  total: number | null;
  unit: string;
  warnings: string[];
  moreWarnings: number;
}

/** A sync that was started here. */
export interface Job {
  status: "running" | "done" | "failed";
  step: Step;
  report?: { status: "built" | "unchanged"; new: number; changed: number; deleted: number };
  error?: Failure;
}

export type Jobs = Record<string, Job>;

export interface Cards {
  registry: string;
  collections: Card[];
  jobs: Jobs;
}

export interface Freshness {
  changedFiles: number;
  stale: boolean;
}

/** A collection that could not be searched. */
export interface Failed {
  name: string;
  error: Failure;
}

/** An answer over several collections. */
export type Found = Omit<Response, "results" | "why" | "document"> & {
  results: PageResult[];
  failed: Failed[];
};

/** A piece of text of one kind. */
export interface Piece {
  text: string;
  kind?: "code" | "keyword" | "string" | "number" | "comment";
  marked?: boolean;
}

export interface Block {
  code: boolean;
  pieces: Piece[];
}

export interface Section {
  level: number;
  heading: Piece[];
  anchor?: string;
  continues: boolean;
  attributes: Record<string, unknown>;
  blocks: Block[];
}

/** A page for the reader. */
export interface Page {
  collection: string;
  id: string;
  title: Piece[];
  language: string;
  kind: "conversation" | "source" | "paper" | "document";
  web?: string;
  file?: string;
  pdf?: string;
  attributes: Record<string, unknown>;
  citations: { style: string; text: string }[];
  outline: { level: number; heading: string; anchor: string }[];
  sections: Section[];
  source?: { lines: Piece[][] };
  isKeptText: boolean;
  before: number;
  after: number;
  previous?: string;
  next?: string;
}
