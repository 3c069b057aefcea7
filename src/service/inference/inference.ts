import type { Clock } from '../../base/async.ts';
import type { Logger } from '../../base/logger.ts';
import { ownerOfPort } from '../../base/portOwner.ts';
import { createUndiciTransport } from '../../client/core/undiciTransport.ts';
import type { FoundAnswer } from '../../contract/foundServers.ts';
import type { Alias } from '../../contract/modelIdentifier.ts';
import type { UpstreamHandover } from '../../contract/upstreams.ts';
import { ollamaServer } from '../../contract/usualServers.ts';
import { registerDecisionRoutes } from '../decisions/decisionRoutes.ts';
import { IMAGES_PATH, ImageShelf } from '../images/imageShelf.ts';
import { registerMessagesRoutes } from '../messages/messagesRoutes.ts';
import { RequestRefused } from '../replies.ts';
import { openReasoningSeal, type ReasoningSeal } from '../responses/reasoningSeal.ts';
import { registerResponsesRoutes } from '../responses/responsesRoutes.ts';
import type { App } from '../server.ts';
import { AliasFile } from './aliasFile.ts';
import { registerChatRoutes } from './chatRoutes.ts';
import { demoProvider } from './demo/demoProvider.ts';
import { type ChatGateway, createGateway } from './gateway.ts';
import { registerModelRoutes } from './modelRoutes.ts';
import { ServerAnswers } from './upstreams/serverAnswers.ts';
import { type ServerSearch, UpstreamDirectory } from './upstreams/upstreamDirectory.ts';

export interface InferenceOptions extends InferenceState {
	app: App;
	/** True to offer the built-in provider, whose images lie in the memory of this process. */
	demo: boolean;
	/** Returns the address under which clients reach the service. It is known once the service listens. */
	address(): string;
	handover: UpstreamHandover;
	clock: Clock;
	logger(topic: string): Logger;
}

/** The state of inference that the service keeps from one start to the next. */
export interface InferenceState {
	aliases(): readonly Alias[];
	/** The seal of the reasoning that clients of the responses endpoint keep. */
	seal: ReasoningSeal;
	/** The servers that are looked for on this machine. Absent: none are. */
	search?: ServerSearch;
}

export interface Inference {
	gateway: ChatGateway;
	/** The seal of the reasoning that clients of the responses endpoint keep. */
	seal: ReasoningSeal;
	replaceUpstreams(handover: UpstreamHandover): void;
	/** Stores the user's answer about a server that was found. Resolves with false if there is no such server. */
	answerFoundServer(answer: FoundAnswer): Promise<boolean>;
	close(): Promise<void>;
}

/** Returns what the state folder of the local service holds about inference. */
export function inferenceStateOf(stateFolder: string, logger: (topic: string) => Logger): InferenceState {
	const aliasFile = new AliasFile(stateFolder, logger('aliases'));
	return {
		aliases: () => aliasFile.read(),
		seal: openReasoningSeal(stateFolder, () =>
			logger('responses').log('warn', 'the key of sealed reasoning was unusable and has been replaced'),
		),
		search: {
			known: [ollamaServer(process.env)],
			answers: new ServerAnswers(stateFolder, logger('upstreams')),
			ownerOf: ownerOfPort,
		},
	};
}

/** Creates the gateway with its providers, and registers its routes on both host forms. */
export function startInference(options: InferenceOptions): Inference {
	const { app, demo, address, handover, clock, logger, aliases, seal, search } = options;
	const shelf = new ImageShelf();
	const transport = createUndiciTransport();
	const directory = new UpstreamDirectory(
		demo ? [demoProvider({ clock, publish: image => address() + shelf.put(image) })] : [],
		{ transport, logger: logger('upstreams'), clock },
		search,
	);
	const gateway = createGateway({ directory, aliases, logger: logger('gateway'), clock, random: Math.random });
	directory.replace(handover);
	registerChatRoutes(app, { gateway, logger: logger('chat') });
	registerMessagesRoutes(app, { gateway, logger: logger('messages') });
	registerModelRoutes(app, gateway);
	// Every client that knows the name of an image may read it; the guard requires no token there.
	app.get(`${IMAGES_PATH}:name`, context => {
		const image = shelf.get(context.req.param('name'));
		if (image === undefined) {
			throw new RequestRefused(404, 'There is no such image, or it is no longer kept.');
		}
		return new Response(image.bytes, {
			headers: {
				'content-type': image.contentType,
				'content-length': String(image.bytes.length),
				'x-content-type-options': 'nosniff',
				// Pages that are isolated from other origins, as the editor's may be, do not show an image without this header.
				'cross-origin-resource-policy': 'cross-origin',
				'cache-control': 'private, max-age=3600, immutable',
			},
		});
	});
	registerResponsesRoutes(app, { gateway, seal, logger: logger('responses') });
	registerDecisionRoutes(app, gateway);
	return {
		gateway,
		seal,
		replaceUpstreams: next => directory.replace(next),
		answerFoundServer: answer => directory.answer(answer),
		close() {
			directory.dispose();
			return transport.close();
		},
	};
}
