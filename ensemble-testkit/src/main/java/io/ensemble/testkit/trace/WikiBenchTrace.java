package io.ensemble.testkit.trace;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Makes a trace of a log of accesses to Wikipedia, in the format of WikiBench (LEADS D2.6, appendix
 * A, section VI.A): a page is a key, a saved edit is a version, and other accesses are reads.
 *
 * <p>A line has a counter, the time in seconds since 1970 with decimals, the URL, and a flag, each
 * after a space: {@code 929840853 1190146243.303 http://en.wikipedia.org/wiki/Alan_Turing -}. The
 * flag is {@code save} if the request changed the database, otherwise {@code -}.
 *
 * <p>A log has no contents: values are made up, with the distribution of sizes of a {@link
 * SyntheticTrace}. Nor does a log contain the versions from before it begins, so the first access
 * to a page makes its first version. A version is the time in milliseconds, or one more than the
 * version of its key before. {@code action=history} is a read of the list of versions; {@code
 * oldid} and {@code diff} are reads of an old version. Left out and counted are accesses to other
 * hosts, to other things than pages, and lines in another form.
 *
 * <p>Holds two numbers for each page. Equal logs and options make equal traces.
 */
public final class WikiBenchTrace {

  /**
   * What is made of a log.
   *
   * @param host the host whose pages are read, without regard to case
   * @param meanBytes the mean size of a value, in bytes
   * @param seed the seed of the values
   * @param lines the maximum number of lines that are read; 0 for all
   */
  public record Options(String host, int meanBytes, long seed, long lines) {

    /** The host of the paper's log. */
    public static final String HOST = "en.wikipedia.org";

    /** Throws {@link IllegalArgumentException} for numbers that are too small. */
    public Options {
      if (host.isBlank() || meanBytes < 1 || lines < 0) {
        throw new IllegalArgumentException(
            "expected a host, 1 byte or more and 0 lines or more; host=%s mean bytes=%d lines=%d"
                .formatted(host, meanBytes, lines));
      }
    }
  }

  /**
   * The result of a reading.
   *
   * @param lines the lines that were read
   * @param saves the versions of saved edits
   * @param reads the accesses that change nothing
   * @param otherHosts lines of other hosts
   * @param otherRequests lines of this host that are not of a page: files, searches, special pages
   * @param longNames lines of pages whose names a versioned cache does not accept
   * @param malformed lines in another form
   */
  public record Report(
      long lines,
      long saves,
      long reads,
      long otherHosts,
      long otherRequests,
      long longNames,
      long malformed) {}

  /** An access to a page. */
  private record Access(String page, TraceRead.Kind kind) {}

  private static final String SAMPLE = "wikibench-sample.txt";
  private static final String PAGES = "/wiki/";
  private static final String INDEX = "/w/index.php";
  private static final long MILLIS = 1_000;

  private final Options options;
  private final SyntheticPages pages;

  /** For each page the number of its versions, and the last one. */
  private final Map<String, long[]> known = new HashMap<>();

  private long saves;
  private long reads;
  private long otherHosts;
  private long otherRequests;
  private long longNames;
  private long malformed;

  private WikiBenchTrace(Options options) {
    this.options = options;
    this.pages = new SyntheticPages(options.meanBytes());
  }

  /** The header for a file of this trace. */
  public static TraceHeader header(String origin, Options options) {
    return new TraceHeader(
        "wikibench",
        "%s host=%s mean_bytes=%d seed=%d"
            .formatted(origin, options.host(), options.meanBytes(), options.seed()));
  }

  /**
   * Reads a log, and passes its trace to {@code sink}. The log is unpacked if its name ends with
   * {@code .gz}.
   *
   * @throws MalformedTraceException if the log has lines, and none is in the format
   * @throws IOException if the log cannot be read, or {@code sink} fails
   */
  public static Report read(Path log, Options options, TraceSink sink) throws IOException {
    try (InputStream bytes = Files.newInputStream(log);
        InputStream plain = TraceWriter.isPacked(log) ? new GZIPInputStream(bytes) : bytes) {
      return read(plain, options, sink);
    }
  }

  /**
   * Reads the sample that comes with this class. It is made up, in the form of a log of Wikipedia:
   * 60 accesses to 6 pages, and lines that are left out.
   *
   * @throws IOException if {@code sink} fails
   */
  public static Report readSample(Options options, TraceSink sink) throws IOException {
    try (InputStream sample = WikiBenchTrace.class.getResourceAsStream(SAMPLE)) {
      if (sample == null) {
        throw new IOException("the sample is missing: " + SAMPLE);
      }
      return read(sample, options, sink);
    }
  }

  private static Report read(InputStream log, Options options, TraceSink sink) throws IOException {
    WikiBenchTrace trace = new WikiBenchTrace(options);
    BufferedReader lines = new BufferedReader(new InputStreamReader(log, ISO_8859_1));
    long count = 0;
    for (String line = lines.readLine();
        line != null && (options.lines() == 0 || count < options.lines());
        line = lines.readLine()) {
      count++;
      trace.line(line, sink);
    }
    if (count > 0 && trace.malformed == count) {
      throw new MalformedTraceException(
          1, "expected a counter, a time, a URL and a flag, with a space between them", null);
    }
    return new Report(
        count,
        trace.saves,
        trace.reads,
        trace.otherHosts,
        trace.otherRequests,
        trace.longNames,
        trace.malformed);
  }

  private void line(String line, TraceSink sink) throws IOException {
    String[] words = line.split(" ", -1);
    if (words.length != 4
        || !words[0].matches("\\d{1,18}")
        || !words[1].matches("\\d{1,12}(\\.\\d{1,9})?")
        || !words[2].matches("https?://[^/]+(/.*)?")
        || !(words[3].equals("-") || words[3].equals("save"))) {
      malformed++;
      return;
    }
    int path = words[2].indexOf('/', words[2].indexOf("://") + 3);
    String host =
        words[2].substring(words[2].indexOf("://") + 3, path < 0 ? words[2].length() : path);
    if (!host.equalsIgnoreCase(options.host())) {
      otherHosts++;
      return;
    }
    Access access = path < 0 ? null : access(words[2].substring(path));
    if (access == null) {
      otherRequests++;
    } else if (access.page().getBytes(UTF_8).length > GitTrace.LONGEST_KEY) {
      longNames++;
    } else {
      access(access, millis(words[1]), words[3].equals("save"), sink);
    }
  }

  /** Truncates to milliseconds. */
  private static long millis(String seconds) {
    int point = seconds.indexOf('.');
    String whole = point < 0 ? seconds : seconds.substring(0, point);
    String decimals = point < 0 ? "" : seconds.substring(point + 1);
    return Long.parseLong(whole) * MILLIS + Long.parseLong((decimals + "000").substring(0, 3));
  }

  private void access(Access access, long millis, boolean isSave, TraceSink sink)
      throws IOException {
    long[] page = known.get(access.page());
    if (page == null) {
      page = new long[2];
      known.put(access.page(), page);
      if (!isSave) {
        write(access.page(), page, millis, sink);
      }
    }
    if (isSave) {
      saves++;
      write(access.page(), page, millis, sink);
    } else {
      reads++;
      sink.read(new TraceRead(access.page(), Math.max(millis, page[1]), access.kind()));
    }
  }

  private void write(String name, long[] page, long millis, TraceSink sink) throws IOException {
    page[0]++;
    page[1] = Math.max(millis, page[1] + 1);
    byte[] first = pages.page(new Random(options.seed() ^ name.hashCode()));
    byte[] value =
        page[0] == 1
            ? first
            : pages.edit(first, new Random(options.seed() + name.hashCode() + (page[0] << 32)));
    sink.take(new TraceVersion(name, page[1], Optional.of(value)));
  }

  /** Null if the address is not of a page. */
  private static @Nullable Access access(String address) {
    int fragment = address.indexOf('#');
    String whole = fragment < 0 ? address : address.substring(0, fragment);
    int question = whole.indexOf('?');
    String path = question < 0 ? whole : whole.substring(0, question);
    Map<String, String> query = query(question < 0 ? "" : whole.substring(question + 1));
    String title = path.startsWith(PAGES) ? decoded(path.substring(PAGES.length())) : "";
    if (path.equals(INDEX) || path.equals(PAGES + "index.php")) {
      title = decoded(query.getOrDefault("title", "").replace('+', ' '));
    }
    String page = normalized(title);
    TraceRead.Kind kind = kind(query);
    return page.isEmpty() || page.startsWith("Special:") || kind == null
        ? null
        : new Access(page, kind);
  }

  private static Map<String, String> query(String text) {
    Map<String, String> query = new HashMap<>();
    for (String part : text.split("&", -1)) {
      int equals = part.indexOf('=');
      if (equals > 0) {
        query.put(part.substring(0, equals), part.substring(equals + 1));
      }
    }
    return query;
  }

  /** What is read; null if the request does not read a page. An edit begins by reading it. */
  private static TraceRead.@Nullable Kind kind(Map<String, String> query) {
    String action = query.getOrDefault("action", "view").toLowerCase(Locale.ROOT);
    return switch (action) {
      case "history" -> TraceRead.Kind.HISTORY;
      case "view", "raw", "render", "print", "edit", "submit" ->
          query.containsKey("oldid") || query.containsKey("diff")
              ? TraceRead.Kind.OLD
              : TraceRead.Kind.LATEST;
      default -> null;
    };
  }

  /** As MediaWiki names a page: with underscores, and a capital letter first. */
  private static String normalized(String title) {
    String name = title.replace(' ', '_');
    if (name.isEmpty()) {
      return name;
    }
    int first = name.codePointAt(0);
    return Character.toString(Character.toUpperCase(first))
        + name.substring(Character.charCount(first));
  }

  /** Decodes percent signs; one that is followed by something else stands for itself. */
  private static String decoded(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < text.length(); i++) {
      int high = i + 2 < text.length() ? Character.digit(text.charAt(i + 1), 16) : -1;
      int low = i + 2 < text.length() ? Character.digit(text.charAt(i + 2), 16) : -1;
      if (text.charAt(i) == '%' && high >= 0 && low >= 0) {
        bytes.write(high * 16 + low);
        i += 2;
      } else {
        bytes.write(text.charAt(i)); // The log was read byte by byte.
      }
    }
    return bytes.toString(UTF_8);
  }
}
