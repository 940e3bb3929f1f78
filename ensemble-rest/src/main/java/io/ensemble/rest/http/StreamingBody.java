package io.ensemble.rest.http;

import java.util.concurrent.CompletionStage;

/** A body that comes bit by bit, for as long as whoever sends it likes. */
@FunctionalInterface
public interface StreamingBody {

  /** Begins to send; the head of the answer is on its way. Must not wait. */
  void begin(Way way);

  /** The way to a client. One sends at a time. */
  interface Way {

    /**
     * Sends; nothing else may be sent before this is done. Fails if the client is gone.
     *
     * @param bytes not to be changed
     */
    CompletionStage<Void> send(byte[] bytes);

    /** Ends the body; nothing may be sent any more. */
    void end();

    /** Cuts the connection, whatever is under way. */
    void cut();
  }
}
