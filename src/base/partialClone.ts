/**
 * Lists the objects of a commit's own files that a partial clone lacks. The contents of a folder that is itself missing
 * are not listed. `git` runs in the clone and fetches nothing for this.
 */
export async function findMissing(
	git: (args: readonly string[]) => Promise<string>,
	commit: string,
): Promise<string[]> {
	const listed = await git(['rev-list', '-1', '--quiet', '--objects', '--missing=print', commit, '--']);
	return listed.split('\n').flatMap(line => (line.startsWith('?') ? [line.slice(1)] : []));
}
