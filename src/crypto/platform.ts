import type { webcrypto } from 'node:crypto';

/** Web Crypto is available in the editor's pages and in Node, but under different types. */
export const subtle: webcrypto.SubtleCrypto = globalThis.crypto.subtle as webcrypto.SubtleCrypto;

export type NodeCrypto = typeof import('node:crypto');

/** Undefined if the platform is not Node. */
export const nodeCrypto: NodeCrypto | undefined = globalThis.process?.getBuiltinModule?.('node:crypto');
