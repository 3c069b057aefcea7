import assert from 'node:assert/strict';
import { refusesImages } from '../../../../../src/service/inference/upstreams/serverRefusals.ts';

describe('a refusal of a request with images', () => {
	const ALL = [
		'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
		'this model is missing data required for image input',
		'Failed to deserialize the JSON body: messages[0]: unknown variant `image_url`, expected `text` at line 1',
		'small is not a multimodal model',
		'At most 0 image(s) may be provided in one request.',
		'Invalid content type. image_url is only supported by certain models.',
		'Image input is not enabled for this model',
		'Model does not support images. Please use a model that does.',
		'No endpoints found that support image input',
		"'messages.0' : for 'role:user' the following must be satisfied[('messages.0.content' : value must be a string)]",
		'body.messages.0.content.str: Input should be a valid string',
		'This model does not support vision.',
		'This is a text-only model, images cannot be used',
	];
	for (const said of ALL) {
		it(`says that the model takes none: ${said}`, () => {
			assert.ok(refusesImages(said));
		});
	}

	const ONE = [
		'You uploaded an unsupported image. Please make sure your image has of one the following formats: png, jpeg',
		'The image is too large: 20 MB is not supported',
		'Could not download the image',
		'Invalid image data',
		'image_url: base64 could not be decoded',
		'At most 1 image(s) may be provided in one request.',
		'Unsupported media type image/tiff',
		'The model small does not exist',
		"Unsupported parameter: 'max_tokens' is not supported with this model",
	];
	for (const said of ONE) {
		it(`says nothing of other images: ${said}`, () => {
			assert.ok(!refusesImages(said));
		});
	}
});
