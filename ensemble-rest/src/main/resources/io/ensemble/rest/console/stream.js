/* Server-sent events, read by fetch: EventSource cannot send a token. */

import { request } from './talk.js';

const LONGEST_SILENCE = 20_000; // The service gives a sign each ten seconds.
const LONGEST_CONNECTING = 10_000;
const LONGEST_PAUSE = 8_000;
const LONGEST_EVENT = 32 << 20;

/**
 * Follows a stream, and begins anew when it ends or is silent for too long. Tells told.event(name,
 * data) of each event and told.state({live, since, why, wanted}) when that changes: since when it is
 * so, and whether a token is wanted, in which case it waits for begin(). The state has the status of
 * the response if the service refused the stream. With resumes, a later request continues at the
 * last id that was received.
 */
export class Stream {
  constructor(path, told, { resumes = false } = {}) {
    this.path = path;
    this.told = told;
    this.resumes = resumes;
    this.lastId = '';
    this.heard = 0;
    this.failures = 0;
    this.run = 0;
    this.state = { live: false, since: Date.now(), why: 'connecting', wanted: false };
    this.watch = setInterval(() => this.look(), 1_000);
  }

  /** Ends it; it tells nothing more. */
  stop() {
    this.run += 1;
    this.abort?.abort();
    clearTimeout(this.timer);
    clearInterval(this.watch);
  }

  /** Begins anew, at once. */
  begin() {
    this.run += 1;
    this.abort?.abort();
    clearTimeout(this.timer);
    this.follow(this.run);
  }

  look() {
    if (this.state.live && Date.now() - this.heard > LONGEST_SILENCE) {
      this.lost('no message was received');
      this.begin();
    }
  }

  async follow(run) {
    this.abort = new AbortController();
    const connecting = setTimeout(() => this.abort.abort(), LONGEST_CONNECTING);
    this.end = 'the stream ended';
    let why;
    let status;
    try {
      const answer = await request('GET', this.path, {
        accept: 'text/event-stream',
        lastId: this.lastId,
        signal: this.abort.signal,
      });
      await this.read(answer.body.getReader(), run, connecting);
      why = this.end;
    } catch (e) {
      why = e.message;
      status = e.status;
      if (run === this.run && e.status === 401) {
        this.lost(why, true, e.status);
        return;
      }
    } finally {
      clearTimeout(connecting);
    }
    if (run === this.run) {
      this.lost(why, false, status);
      if (run !== this.run) {
        return; // Stopped for that reason.
      }
      this.failures += 1;
      const pause = Math.min(LONGEST_PAUSE, 500 * 2 ** this.failures);
      this.timer = setTimeout(() => this.follow(run), pause);
    }
  }

  async read(reader, run, connecting) {
    const decoder = new TextDecoder();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done || run !== this.run) {
        return;
      }
      this.heard = Date.now();
      clearTimeout(connecting);
      rest += decoder.decode(value, { stream: true });
      if (rest.length > LONGEST_EVENT) {
        throw new Error('an event is too long');
      }
      const blocks = rest.split(/\r\n\r\n|\n\n|\r\r/);
      rest = blocks.pop();
      for (const block of blocks) {
        this.block(block);
      }
    }
  }

  block(text) {
    let name = 'message';
    const data = [];
    for (const line of text.split(/\r\n|\n|\r/)) {
      if (line.startsWith('event:')) {
        name = line.slice(6).trim();
      } else if (this.resumes && line.startsWith('id:')) {
        this.lastId = line.slice(3).trim();
      } else if (line.startsWith('data:')) {
        data.push(line.slice(5).replace(/^ /, ''));
      }
    }
    if (data.length === 0) {
      return;
    }
    let content;
    try {
      content = JSON.parse(data.join('\n'));
    } catch (e) {
      return; // Not for us: what we read is JSON.
    }
    if (name === 'end') {
      this.end = `the service ended the stream (${content.reason})`;
      return;
    }
    if (!this.state.live) {
      this.failures = 0;
      this.become({ live: true, since: Date.now(), why: '', wanted: false });
    }
    this.told.event(name, content);
  }

  lost(why, wanted = false, status = undefined) {
    if (this.state.live) {
      this.become({ live: false, since: this.heard, why, wanted, status });
    } else {
      this.become({ ...this.state, why, wanted, status });
    }
  }

  become(state) {
    this.state = state;
    this.told.state(state);
  }
}
