/** The oldest Node that the libraries of the service support. */
export const NEEDED_NODE = '22.19';

/** Returns a sentence that says which version is needed if this version of Node is too old for the service. */
export function nodeProblem(version: string): string | undefined {
	const [major = 0, minor = 0] = version.split('.').map(Number);
	const [neededMajor = 0, neededMinor = 0] = NEEDED_NODE.split('.').map(Number);
	return major > neededMajor || (major === neededMajor && minor >= neededMinor)
		? undefined
		: `Errand's local service needs Node ${NEEDED_NODE} or newer. This is Node ${version}.`;
}
