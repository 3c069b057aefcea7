import { testTasksOf } from './tasksOfAgent.ts';

testTasksOf('errand');
