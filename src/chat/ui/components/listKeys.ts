/** A list above the text field, which keeps the focus and moves through it. */
export interface KeyedList {
	readonly count: number;
	readonly selected: number;
	select(index: number): void;
	take(index: number): void;
	close(): void;
	/** The user closes it: it stays closed until something else is typed. */
	dismiss(): void;
}

/** Whether the key was for the list, which then has done what it means. The field must be shown nothing of it. */
export function listTakesKey(event: KeyboardEvent, list: KeyedList): boolean {
	const { count, selected } = list;
	if (event.isComposing) {
		return false;
	}
	switch (event.key) {
		case 'ArrowDown':
		case 'ArrowUp':
			list.select(count === 0 ? 0 : (selected + (event.key === 'ArrowDown' ? 1 : -1) + count) % count);
			break;
		case 'Enter':
		case 'Tab':
			if (count === 0 || event.shiftKey) {
				list.close();
				return false;
			}
			list.take(selected);
			break;
		case 'Escape':
			list.dismiss();
			break;
		default:
			return false;
	}
	event.preventDefault();
	event.stopPropagation();
	return true;
}
