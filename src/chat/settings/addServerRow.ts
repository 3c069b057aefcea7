import * as vscode from 'vscode';
import type { Connection } from '../../contract/connection.ts';
import { LOCAL_CONNECTION_NAME, realModels } from '../../contract/localConnection.ts';
import type { Choice } from '../../platform/pick.ts';

export const addServerRow = (): Choice<'add-server'> => ({
	label: vscode.l10n.t('$(add) Add Service…'),
	value: 'add-server',
});

/** Returns the first rows of a list of models that has only demos. */
export function onlyDemoRows(connection: Connection): Choice<'add-server'>[] {
	const hasOnlyDemo = connection.name === LOCAL_CONNECTION_NAME && realModels(connection).length === 0;
	const detail = `$(blank) ${vscode.l10n.t('Only the demo is available, which isn’t a model.')}`;
	return hasOnlyDemo ? [{ ...addServerRow(), detail }] : [];
}
