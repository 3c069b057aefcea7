/**
 * Decodes base64 as defined in RFC 4648: the standard alphabet, padded, without blanks, unused bits zero. Returns
 * undefined for anything else, so that bytes have only one spelling.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
	const bytes = Buffer.from(text, 'base64');
	return bytes.toString('base64') === text ? bytes : undefined;
}
