// Stands in for the agent host, which needs the Copilot SDK and an account.
import process from 'node:process';

process.on('disconnect', () => process.exit(0));
setInterval(() => {}, 2 ** 30);
