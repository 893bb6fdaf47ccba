/** What an answer was asked for, for the tables in it: it says their query in SQL. */
import { createContext, useContext, type Accessor } from 'solid-js';

import type { Question } from '../wire/report';

export interface Asked {
  /** Undefined for answers that are not reports of one session. */
  question: Accessor<Question> | undefined;
  report: Accessor<unknown>;
}

export const AskedContext = createContext<Asked>({ question: undefined, report: () => undefined });

export const useAsked = (): Asked => useContext(AskedContext);
