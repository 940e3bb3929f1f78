package io.ensemble.check.federation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.site.hotrod.configuration.Credentials;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Reads from the REST interface of one node, which Infinispan Server serves on the port of Hot Rod
 * unless it is configured otherwise. Sends only GET. Sends a password only within TLS. Not
 * thread-safe.
 */
public final class NodeRestClient {

  private static final int LARGEST_HEADER_BYTES = 64 << 10;

  private final Endpoint endpoint;
  private final SiteTransport transport;
  private final String host;
  private final @Nullable String authorization;
  private final boolean withholds;

  /**
   * A response.
   *
   * @param headers by lower-case names
   * @param asked when the request was sent, in milliseconds since 1970 by this machine's clock
   * @param answered when the response was complete
   */
  public record Response(
      int status, Map<String, String> headers, String body, long asked, long answered) {

    public Response {
      headers = Map.copyOf(headers);
    }

    public boolean isOk() {
      return status == 200;
    }
  }

  private NodeRestClient(
      Endpoint endpoint,
      SiteTransport transport,
      String host,
      @Nullable String authorization,
      boolean withholds) {
    this.endpoint = endpoint;
    this.transport = transport;
    this.host = host;
    this.authorization = authorization;
    this.withholds = withholds;
  }

  /**
   * A client for a node of a site.
   *
   * @throws IOException if a trust store, a key store or revocation lists cannot be used
   * @throws IllegalStateException if a password cannot be read
   */
  public static NodeRestClient at(SiteConfiguration site, Endpoint endpoint) throws IOException {
    Credentials credentials = site.credentials();
    boolean hasPassword = credentials != null && !credentials.isExternal();
    boolean secret = site.tls() != null;
    return new NodeRestClient(
        endpoint,
        SiteTransport.to(site),
        endpoint.host(),
        credentials != null && hasPassword && secret ? basic(credentials) : null,
        hasPassword && !secret);
  }

  private static String basic(Credentials credentials) {
    char[] password = credentials.password().get();
    byte[] both = (credentials.user() + ":" + new String(password)).getBytes(UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(both);
  }

  /** Whether the site has a password that is not sent, because the connection is in clear text. */
  public boolean withholdsPassword() {
    return withholds;
  }

  /**
   * The response to GET {@code path}. One connection; a retry is safe.
   *
   * @param longest the longest time for the whole request
   * @param mostBytes the largest body
   * @throws IOException if there is no response in time, if it is no HTTP, or if the body is larger
   */
  public Response get(String path, Duration longest, int mostBytes) throws IOException {
    long end = System.nanoTime() + longest.toNanos();
    try (Socket plain = new Socket()) {
      plain.connect(new InetSocketAddress(endpoint.host(), endpoint.port()), millisTo(end));
      plain.setSoTimeout(millisTo(end));
      plain.setTcpNoDelay(true);
      Socket socket = transport.over(plain, endpoint);
      long asked = System.currentTimeMillis();
      socket.getOutputStream().write(request(path).getBytes(ISO_8859_1));
      BoundedInput in = new BoundedInput(socket, end);
      String head = head(in);
      Map<String, String> headers = headers(head);
      String body = new String(body(in, headers, mostBytes), UTF_8);
      return new Response(status(head), headers, body, asked, System.currentTimeMillis());
    } catch (SocketTimeoutException e) {
      throw new IOException("REST: no answer within " + longest.toMillis() + " ms", e);
    } catch (SSLException e) {
      throw new IOException("REST: TLS failed: " + e.getMessage(), e);
    } catch (EOFException e) {
      throw new IOException("the port serves no REST", e);
    }
  }

  private String request(String path) {
    String login = authorization == null ? "" : "Authorization: " + authorization + "\r\n";
    return "GET %s HTTP/1.1\r\nHost: %s:%d\r\n%sAccept: */*\r\nConnection: close\r\n\r\n"
        .formatted(path, host, endpoint.port(), login);
  }

  private static int millisTo(long end) throws SocketTimeoutException {
    long left = (end - System.nanoTime()) / 1_000_000;
    if (left <= 0) {
      throw new SocketTimeoutException();
    }
    return Math.toIntExact(left);
  }

  private static String head(BoundedInput in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    String text = "";
    while (!text.endsWith("\r\n\r\n")) {
      if (head.size() >= LARGEST_HEADER_BYTES) {
        throw new IOException("the port serves no REST");
      }
      head.write(in.one());
      if (head.size() == 5 && !head.toString(ISO_8859_1).equals("HTTP/")) {
        throw new IOException("the port serves no REST");
      }
      byte[] all = head.toByteArray();
      int from = Math.max(0, all.length - 4);
      text = new String(all, from, all.length - from, ISO_8859_1);
    }
    return head.toString(ISO_8859_1);
  }

  private static int status(String head) throws IOException {
    String[] words = head.split(" ", 3);
    try {
      return Integer.parseInt(words.length < 2 ? "" : words[1].strip());
    } catch (NumberFormatException e) {
      throw new IOException("the port serves no REST", e);
    }
  }

  private static Map<String, String> headers(String head) {
    Map<String, String> headers = new TreeMap<>();
    head.lines()
        .skip(1)
        .forEach(
            line -> {
              int colon = line.indexOf(':');
              if (colon > 0) {
                headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
              }
            });
    return headers;
  }

  private static byte[] body(BoundedInput in, Map<String, String> headers, int mostBytes)
      throws IOException {
    if (headers
        .getOrDefault("transfer-encoding", "")
        .toLowerCase(Locale.ROOT)
        .contains("chunked")) {
      return chunks(in, mostBytes);
    }
    String length = headers.get("content-length");
    if (length == null) {
      return in.rest(mostBytes);
    }
    return in.exactly(parsed(length, 10), mostBytes);
  }

  private static byte[] chunks(BoundedInput in, int mostBytes) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (true) {
      long size = parsed(line(in).split(";", 2)[0].strip(), 16);
      if (size == 0) {
        return body.toByteArray();
      }
      body.write(in.exactly(size, mostBytes - body.size()));
      line(in);
    }
  }

  private static String line(BoundedInput in) throws IOException {
    StringBuilder line = new StringBuilder();
    while (true) {
      int next = in.one();
      if (next == '\n') {
        return line.toString().strip();
      }
      if (line.length() > 1024) {
        throw new IOException("REST: malformed response");
      }
      line.append((char) next);
    }
  }

  private static long parsed(String number, int radix) throws IOException {
    try {
      long size = Long.parseLong(number, radix);
      if (size >= 0) {
        return size;
      }
    } catch (NumberFormatException e) {
      // Reported as the negative size is.
    }
    throw new IOException("REST: malformed response");
  }

  /** The input of a socket, with one deadline for all reads: a server may send byte by byte. */
  private static final class BoundedInput {

    private final Socket socket;
    private final InputStream in;
    private final long end;
    private final byte[] buffer = new byte[8192];
    private int next;
    private int filled;

    BoundedInput(Socket socket, long end) throws IOException {
      this.socket = socket;
      this.in = socket.getInputStream();
      this.end = end;
    }

    private boolean fill() throws IOException {
      if (next < filled) {
        return true;
      }
      socket.setSoTimeout(millisTo(end));
      next = 0;
      filled = Math.max(0, in.read(buffer));
      return filled > 0;
    }

    int one() throws IOException {
      if (!fill()) {
        throw new EOFException();
      }
      return buffer[next++] & 0xFF;
    }

    byte[] exactly(long size, int mostBytes) throws IOException {
      if (size > mostBytes) {
        throw tooLarge(mostBytes);
      }
      byte[] all = new byte[(int) size];
      int read = 0;
      while (read < all.length) {
        if (!fill()) {
          throw new EOFException();
        }
        int part = Math.min(filled - next, all.length - read);
        System.arraycopy(buffer, next, all, read, part);
        next += part;
        read += part;
      }
      return all;
    }

    byte[] rest(int mostBytes) throws IOException {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      while (fill()) {
        if (all.size() + filled - next > mostBytes) {
          throw tooLarge(mostBytes);
        }
        all.write(buffer, next, filled - next);
        next = filled;
      }
      return all.toByteArray();
    }

    private static IOException tooLarge(int mostBytes) {
      return new IOException("REST: the response is larger than %d bytes".formatted(mostBytes));
    }
  }
}
