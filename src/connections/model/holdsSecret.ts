// Fields of a connection stand in the settings, where no key belongs.
import { redactText } from '../../base/redact.ts';
import { readTypedAddress } from '../../base/typedAddress.ts';

/** Fields that hold words of a person, or a short name. */
const IN_WORDS = /(?:^|\.)(?:label|service|scm|cloudTokenPrefix|decisionModel|dataPolicy|channelProvider)$/;

/**
 * Returns whether the text of a field has the form of a key or of credentials. Ids of models may be as long and as odd
 * as one.
 */
export function holdsSecret(field: string, text: string): boolean {
	if (field.endsWith('Url')) {
		return readTypedAddress(text).key !== undefined;
	}
	return IN_WORDS.test(field) ? redactText(text) !== text : /\b(?:sk-[\w-]{16,}|Bearer\s)/.test(text);
}
