import * as vscode from 'vscode';

/**
 * Opens an address in the browser; the editor asks first, unless the user trusts its host. The address is given as it is:
 * as a `Uri` it would be written anew, and a `#` in the name of a branch would be encoded twice.
 */
export function openAddress(address: string): Thenable<boolean> {
	return vscode.env.openExternal(address as unknown as vscode.Uri);
}
