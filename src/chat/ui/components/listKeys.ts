/** A list above the text field, which keeps the focus and controls the list. */
export interface KeyedList {
	readonly count: number;
	readonly selected: number;
	select(index: number): void;
	take(index: number): void;
	close(): void;
	/** Closes the list for the user; it stays closed until something else is typed. */
	dismiss(): void;
}

/** Returns whether the list has handled the key. The field must then ignore it. */
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
