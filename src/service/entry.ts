// The entry point of the local service's process. It imports nothing that an older Node lacks: such an import would end
// the process with a stack trace before it could say what is needed.
import process from 'node:process';
import { nodeProblem } from './nodeVersion.ts';

const problem = nodeProblem(process.versions.node);
if (problem === undefined) {
	const { run } = await import('./main.ts');
	run(import.meta.filename, process.argv.slice(2));
} else {
	process.stderr.write(`${problem}\n`);
	process.exitCode = 1;
}
