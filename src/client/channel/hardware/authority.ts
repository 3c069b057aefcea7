/** The GPU maker's values: it vouches for GPUs and is the reference for all evidence. No setting changes them. */
export const GPU_MAKER = {
	/** The SHA-256, in hexadecimal digits, of the root certificate of every device's chain. */
	rootFingerprint: '102bf659d5419614c9d8e6aecebc80454eb26b1df6a769ac720b9a690b167b48',
	/** The `iss` of its tokens. */
	issuer: 'https://nras.attestation.nvidia.com',
	/** The address of the keys of its tokens, a JSON Web Key Set. */
	keyAddress: 'https://nras.attestation.nvidia.com/.well-known/jwks.json',
};

export type HardwareAuthority = Readonly<typeof GPU_MAKER>;
