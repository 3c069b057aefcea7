import type { webcrypto } from 'node:crypto';

/** The editor's pages and Node share this one, under types of their own. */
export const subtle: webcrypto.SubtleCrypto = globalThis.crypto.subtle as webcrypto.SubtleCrypto;

export type NodeCrypto = typeof import('node:crypto');

/** Undefined where the platform is not Node. */
export const nodeCrypto: NodeCrypto | undefined = globalThis.process?.getBuiltinModule?.('node:crypto');
