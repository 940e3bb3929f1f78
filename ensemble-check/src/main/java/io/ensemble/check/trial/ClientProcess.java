package io.ensemble.check.trial;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.check.process.ChildProcess;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.JsonLines;
import io.ensemble.check.process.JsonOutput;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A client process that this process has started, and its messages. {@link #close} ends it. */
public final class ClientProcess implements AutoCloseable {
  static final String STOP = "stop";

  private static final Duration LONGEST_START = Duration.ofSeconds(150);
  private static final Duration LONGEST_END = Duration.ofSeconds(150);
  private static final Duration LONGEST_FAREWELL = Duration.ofSeconds(10);

  private final int number;
  private final ChildProcess child;
  private final Writer orders;
  private final CountDownLatch ready = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile ClientMessage last = ClientMessage.SILENT;
  private volatile boolean isBegun;

  private ClientProcess(int number, ChildProcess child) {
    this.number = number;
    this.child = child;
    this.orders = child.process().outputWriter(UTF_8);
  }

  /**
   * Starts a client process.
   *
   * @param launcher starts its program
   * @param order the first line of its input
   * @param log the file for the output of libraries
   */
  public static ClientProcess start(int number, ClientLauncher launcher, Record order, Path log) {
    try {
      ClientProcess client =
          new ClientProcess(
              number, ChildProcess.of("check-client-" + number, launcher.launch(log)));
      client.child.startReader(client.new MessageListener());
      client.send(JsonLines.json(order));
      return client;
    } catch (IOException e) {
      throw new CommandException("cannot start a client process: " + e.getMessage(), e);
    }
  }

  /** An unreadable message ends the process; its missing end message is then reported. */
  private final class MessageListener implements ChildProcess.Listener {

    @Override
    public void onLine(String line) throws IOException {
      last = JsonOutput.mapper().readValue(line, ClientMessage.class);
      ready.countDown();
      if (last.word().equals(ClientMessage.ENDED)) {
        ended.countDown();
      }
    }

    @Override
    public void onEnd() {
      ready.countDown();
      ended.countDown();
    }
  }

  private void send(String line) throws IOException {
    orders.write(line + "\n");
    orders.flush();
  }

  /** Waits until the process is ready to begin. */
  public void awaitReady() throws InterruptedException {
    if (!ready.await(LONGEST_START.toMillis(), TimeUnit.MILLISECONDS) || last.word().isEmpty()) {
      throw new CommandException("a client process did not start; number=" + number);
    }
  }

  /** Lets the process begin. */
  public void go() {
    isBegun = true;
    try {
      send(PacedClients.GO);
    } catch (IOException e) {
      throw new CommandException("a client process has ended; number=" + number, e);
    }
  }

  /** Whether the process was let begin. Before, it makes no calls, and may have no history. */
  boolean isBegun() {
    return isBegun;
  }

  /** Its last message. */
  public ClientMessage last() {
    return last;
  }

  public long pid() {
    return child.process().pid();
  }

  public boolean isAlive() {
    return child.process().isAlive();
  }

  /** Orders the process to stop. */
  public void stop() {
    sendIfAlive(STOP);
  }

  /** Sends a word to the process. */
  public void sendIfAlive(String command) {
    try {
      send(command);
    } catch (IOException e) {
      // The process has ended, which its silence shows.
    }
  }

  /** Kills the process as {@code kill -9}, and waits until it has ended. */
  public void kill() throws InterruptedException {
    child.process().destroyForcibly().waitFor();
  }

  /** Kills the process, without waiting. */
  void destroy() {
    child.process().destroyForcibly();
  }

  /**
   * Whether the process has reported its end, with its history on disk; it stays until it is
   * closed.
   */
  public boolean awaitEnd() throws InterruptedException {
    return ended.await(LONGEST_END.toMillis(), TimeUnit.MILLISECONDS)
        && last.word().equals(ClientMessage.ENDED);
  }

  @Override
  public void close() {
    try {
      orders.close();
      child.process().waitFor(LONGEST_FAREWELL.toMillis(), TimeUnit.MILLISECONDS);
    } catch (IOException e) {
      // The process has ended.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    child.close();
  }
}
