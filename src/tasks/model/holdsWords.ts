/** Whether a row's label or description holds every word of what was typed, in any order. The name of its icon is no text. */
export function holdsWords(row: { label: string; description?: string | undefined }, typed: string): boolean {
	const label = row.label.replace(/^\$\([\w~-]+\)/, '');
	const text = `${label} ${row.description ?? ''}`.toLowerCase();
	return typed
		.toLowerCase()
		.split(/\s+/)
		.every(word => text.includes(word));
}
