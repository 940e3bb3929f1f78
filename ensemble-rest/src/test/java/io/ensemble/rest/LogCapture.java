package io.ensemble.rest;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Captures what the JVM logs, at the finest level, until it is closed. */
final class LogCapture extends Handler implements AutoCloseable {

  private final Logger root = Logger.getLogger("");
  private final Logger client = Logger.getLogger("jdk.internal.httpclient");
  private final Level before = root.getLevel();
  private final Level clientBefore = client.getLevel();
  private final Map<Handler, Level> others = new HashMap<>();
  private final Queue<String> lines = new ConcurrentLinkedQueue<>();

  LogCapture() {
    setLevel(Level.ALL);
    for (Handler other : root.getHandlers()) {
      others.put(other, other.getLevel());
      other.setLevel(Level.OFF);
    }
    client.setLevel(Level.OFF); // The HTTP client belongs to the test, not to the service.
    root.addHandler(this);
    root.setLevel(Level.ALL);
  }

  @Override
  public void publish(LogRecord line) {
    StringWriter text = new StringWriter();
    text.append(line.getLoggerName()).append(' ').append(line.getMessage());
    if (line.getParameters() != null) {
      text.append(' ').append(Arrays.toString(line.getParameters()));
    }
    if (line.getThrown() != null) {
      line.getThrown().printStackTrace(new PrintWriter(text));
    }
    lines.add(text.toString());
  }

  Collection<String> lines() {
    return lines;
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    root.removeHandler(this);
    others.forEach(Handler::setLevel);
    root.setLevel(before);
    client.setLevel(clientBefore);
  }
}
