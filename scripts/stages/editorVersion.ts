const OPTION = '--editor=';

/**
 * Extracts the option that chooses a desktop editor from the arguments for the tests. `--editor=oldest` is the oldest
 * editor that the manifest supports, `--editor=newest` the latest stable one, which is also the default.
 * @param supported the manifest's range, such as ^1.109.0
 * @throws if the option names no version
 */
export function chooseEditor(args: readonly string[], supported: string): { version: string; others: string[] } {
	const asked = args.findLast(argument => argument.startsWith(OPTION))?.slice(OPTION.length) ?? 'newest';
	const others = args.filter(argument => !argument.startsWith(OPTION));
	const version = asked === 'oldest' ? supported.replace(/^\^/, '') : asked === 'newest' ? 'stable' : asked;
	if (version !== 'stable' && !/^\d+\.\d+\.\d+$/.test(version)) {
		throw new Error(`"${asked}" is no version of the editor. Name oldest, newest or a version such as 1.109.0.`);
	}
	return { version, others };
}
