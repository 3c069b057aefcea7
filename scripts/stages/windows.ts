const inE2e = (names: readonly string[]) => names.map(name => `test/e2e/${name}.test.ts`);

/**
 * The files whose tests share a window, by topic. One process runs each group in this order, and the window is reset
 * between two files (`useWindow`). The groups that take longest start first, so that none runs alone at the end. A file
 * that is not named here has a window of its own, and says why it needs one.
 */
export const sharedWindows: Readonly<Record<string, readonly string[]>> = {
	agents: inE2e(['agentServers', 'chatAgent', 'taskSteps', 'decisions']),
	tasks: inE2e(['tasks', 'taskChanges']),
	chat: inE2e(['chat', 'conversations', 'encryptedChat']),
	services: inE2e(['services', 'offers']),
};
