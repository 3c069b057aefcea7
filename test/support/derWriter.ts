// Writes DER for tests, with nothing of src/crypto in it.

export function der(tag: number, ...parts: Uint8Array[]): Buffer {
	const content = Buffer.concat(parts);
	const { length } = content;
	const head =
		length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
	return Buffer.concat([Buffer.from(head), content]);
}

export const sequence = (...parts: Uint8Array[]): Buffer => der(0x30, ...parts);
export const bitString = (bytes: Uint8Array): Buffer => der(0x03, Buffer.of(0), bytes);
export const octetString = (...parts: Uint8Array[]): Buffer => der(0x04, ...parts);
export const integer = (value: number): Buffer => der(0x02, Buffer.of(value));
export const yes = (): Buffer => der(0x01, Buffer.of(0xff));
/** From its content in hexadecimal digits. */
export const identifier = (digits: string): Buffer => der(0x06, Buffer.from(digits, 'hex'));
export const commonName = (name: string): Buffer =>
	sequence(der(0x31, sequence(identifier('550403'), der(0x0c, Buffer.from(name)))));

/** 20200101000000Z and its like. */
export const generalizedTime = (text: string): Buffer => der(0x18, Buffer.from(text));
