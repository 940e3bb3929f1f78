package io.ensemble.check.trial;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A client that runs on a thread of this JVM instead of a process, whose start would cost seconds
 * of CPU time. It cannot be killed or stopped: {@link #destroy} closes its standard input, and its
 * program ends then.
 */
public final class ClientThread extends Process {

  /** The main method of a client process. */
  public interface Program {
    void run(InputStream in, PrintStream out) throws Exception;
  }

  private static final int FAILED = 1;

  private final Program program;
  private final Path log;
  // Kernel pipes: a pipe of java.io fails when a thread that wrote to it has ended.
  private final Pipe orders = Pipe.open();
  private final Pipe words = Pipe.open();
  private final OutputStream input = Channels.newOutputStream(orders.sink());
  private final InputStream output = Channels.newInputStream(words.source());
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile int status;

  private ClientThread(Program program, Path log) throws IOException {
    this.program = program;
    this.log = log;
  }

  /** A launcher of such clients. */
  public static ClientLauncher launcher(Program program) {
    return log -> {
      ClientThread client = new ClientThread(program, log);
      Thread thread = new Thread(client::run, "check-client-program");
      thread.setDaemon(true);
      thread.start();
      return client;
    };
  }

  private void run() {
    try (InputStream in = Channels.newInputStream(orders.source());
        PrintStream out = new PrintStream(Channels.newOutputStream(words.sink()), false, UTF_8)) {
      program.run(in, out);
    } catch (Throwable e) {
      status = FAILED;
      print(e);
    } finally {
      ended.countDown();
    }
  }

  private void print(Throwable failure) {
    try (PrintStream errors = new PrintStream(log.toFile(), UTF_8)) {
      failure.printStackTrace(errors);
    } catch (IOException e) {
      failure.printStackTrace();
    }
  }

  @Override
  public OutputStream getOutputStream() {
    return input;
  }

  @Override
  public InputStream getInputStream() {
    return output;
  }

  @Override
  public InputStream getErrorStream() {
    return InputStream.nullInputStream();
  }

  @Override
  public int waitFor() throws InterruptedException {
    ended.await();
    return status;
  }

  @Override
  public boolean waitFor(long timeout, TimeUnit unit) throws InterruptedException {
    return ended.await(timeout, unit);
  }

  @Override
  public boolean isAlive() {
    return ended.getCount() > 0;
  }

  @Override
  public int exitValue() {
    if (isAlive()) {
      throw new IllegalThreadStateException("the client has not ended");
    }
    return status;
  }

  @Override
  public void destroy() {
    try {
      orders.sink().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
