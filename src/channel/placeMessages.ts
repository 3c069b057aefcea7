import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import type { ChannelConnection } from './model/channelConnection.ts';
import type { ChannelPlace } from './model/places.ts';

/** A channel as a row of a list. */
export interface PlaceWords {
	label: string;
	description?: string;
	detail?: string;
}

export function placeWords(
	{ address, url }: ChannelPlace,
	{ connection, isLocal }: Pick<ChannelConnection, 'connection' | 'isLocal'>,
): PlaceWords {
	const { model, provider } = address;
	const known = connection.models.find(({ id }) => id === model)?.label ?? model;
	const via = connection.providers.find(({ slug }) => slug === provider)?.label ?? provider;
	return {
		label: known ?? vscode.l10n.t('Shared address'),
		...defined({ description: via === undefined ? undefined : vscode.l10n.t('via {0}', via) }),
		// The address of the local service is of no use to the user.
		...defined({ detail: isLocal ? undefined : url }),
	};
}
