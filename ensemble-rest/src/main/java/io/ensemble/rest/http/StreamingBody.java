package io.ensemble.rest.http;

import java.util.concurrent.CompletionStage;

/** A body that is sent in parts, without a limit of time. */
@FunctionalInterface
public interface StreamingBody {

  /** Begins to send; the head of the response has been sent. Must not block. */
  void begin(Way connection);

  /** Releases what the body holds, if it will never begin. Must not block. */
  default void abandon() {}

  /** The connection to a client. One thread sends at a time. */
  interface Way {

    /**
     * Sends bytes; no further bytes may be sent before the stage completes. Fails if the client is
     * gone.
     *
     * @param bytes must not be changed
     */
    CompletionStage<Void> send(byte[] bytes);

    /** Ends the body; no further bytes may be sent. */
    void end();

    /** Closes the connection immediately, also during a send. */
    void cut();
  }
}
