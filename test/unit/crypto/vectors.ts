// Published values of the curve P-384.

const hex = (text: string) => Buffer.from(text, 'hex');

/** RFC 5903, 8.2: a Diffie-Hellman exchange in group 20. */
export const exchange = {
	initiator: {
		secretKey: hex('099f3c7034d4a2c699884d73a375a67f7624ef7c6b3c0f160647b67414dce655e35b538041e649ee3faef896783ab194'),
		x: hex('667842d7d180ac2cde6f74f37551f55755c7645c20ef73e31634fe72b4c55ee6de3ac808acb4bdb4c88732aee95f41aa'),
		y: hex('9482ed1fc0eeb9cafc4984625ccfc23f65032149e0e144ada024181535a0f38eeb9fcff3c2c947dae69b4c634573a81c'),
	},
	responder: {
		secretKey: hex('41cb0779b4bdb85d47846725fbec3c9430fab46cc8dc5060855cc9bda0aa2942e0308312916b8ed2960e4bd55a7448fc'),
		x: hex('e558dbef53eecde3d3fccfc1aea08a89a987475d12fd950d83cfa41732bc509d0d1ac43a0336def96fda41d0774a3571'),
		y: hex('dcfbec7aacf3196472169e838430367f66eebe3c6e70c416dd5f0c68759dd1fff83fa40142209dff5eaad96db9e6386c'),
	},
	sharedSecret: hex('11187331c279962d93d604243fd592cb9d0a926f422e47187521287e7156c5c4d603135569b9e9d09cf5d4a270f59746'),
};

/** RFC 6979, A.2.6. */
export const signing = {
	secretKey: hex('6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d896d5724e4c70a825f872c9ea60d2edf5'),
	x: hex('ec3a4e415b4e19a4568618029f427fa5da9a8bc4ae92e02e06aae5286b300c64def8f0ea9055866064a254515480bc13'),
	y: hex('8015d9b72d7d57244ea8ef9ac0c621896708a59367f9dfb9f54ca84b3f1c9db1288b231c3ae0d4fe7344fd2533264720'),
	signatures: [
		{
			digest: 'SHA-256',
			message: 'sample',
			r: hex('21b13d1e013c7fa1392d03c5f99af8b30c570c6f98d4ea8e354b63a21d3daa33bde1e888e63355d92fa2b3c36d8fb2cd'),
			s: hex('f3aa443fb107745bf4bd77cb3891674632068a10ca67e3d45db2266fa7d1feebefdc63eccd1ac42ec0cb8668a4fa0ab0'),
		},
		{
			digest: 'SHA-256',
			message: 'test',
			r: hex('6d6defac9ab64dabafe36c6bf510352a4cc27001263638e5b16d9bb51d451559f918eedaf2293be5b475cc8f0188636b'),
			s: hex('2d46f3becbcc523d5f1a1256bf0c9b024d879ba9e838144c8ba6baeb4b53b47d51ab373f9845c0514eefb14024787265'),
		},
		{
			digest: 'SHA-384',
			message: 'sample',
			r: hex('94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c81a648152e44acf96e36dd1e80fabe46'),
			s: hex('99ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94fa329c145786e679e7b82c71a38628ac8'),
		},
		{
			digest: 'SHA-384',
			message: 'test',
			r: hex('8203b63d3c853e8d77227fb377bcf7b7b772e97892a80f36ab775d509d7a5feb0542a7f0812998da8f1dd3ca3cf023db'),
			s: hex('ddd0760448d42d8a43af45af836fce4de8be06b485e9b61b827c2f13173923e06a739f040649a667bf3b828246baa5a5'),
		},
	],
} as const;

/** The number of points, which bounds r and s (FIPS 186-4, D.1.2.4). */
export const ORDER =
	0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n;

/** 04 ‖ x ‖ y. */
export function uncompressed({ x, y }: { x: Uint8Array; y: Uint8Array }): Uint8Array {
	return Buffer.concat([Uint8Array.of(4), x, y]);
}
