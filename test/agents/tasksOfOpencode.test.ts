import { testTasksOf } from './tasksOfAgent.ts';

testTasksOf('opencode');
