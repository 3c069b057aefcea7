/**
 * Whether a row's label or description contains every typed word, in any order. The name of its icon does not count.
 */
export function holdsWords(row: { label: string; description?: string | undefined }, typed: string): boolean {
	const label = row.label.replace(/^\$\([\w~-]+\)/, '');
	const text = `${label} ${row.description ?? ''}`.toLowerCase();
	return typed
		.toLowerCase()
		.split(/\s+/)
		.every(word => text.includes(word));
}
