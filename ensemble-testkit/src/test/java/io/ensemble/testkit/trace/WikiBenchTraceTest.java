package io.ensemble.testkit.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A log of accesses to Wikipedia becomes versions and reads. */
class WikiBenchTraceTest {

  private static final WikiBenchTrace.Options OPTIONS =
      new WikiBenchTrace.Options(WikiBenchTrace.Options.HOST, SyntheticTrace.MEAN_BYTES, 1, 0);
  private static final String HOST = "http://en.wikipedia.org";

  @TempDir private Path directory;

  /** Collects a trace as lines. */
  private static final class Lines implements TraceSink {
    final List<String> all = new ArrayList<>();
    final List<byte[]> values = new ArrayList<>();

    @Override
    public void take(TraceVersion version) {
      all.add(version.key() + " " + version.version());
      values.add(version.value().orElseThrow());
    }

    @Override
    public void read(TraceRead read) {
      all.add(read.key() + " " + read.at() + " " + read.kind());
    }
  }

  private WikiBenchTrace.Report read(Lines lines, String... log) throws IOException {
    Path file = Files.write(directory.resolve("log"), List.of(log));
    return WikiBenchTrace.read(file, OPTIONS, lines);
  }

  @Test
  void aPageBeginsWithItsFirstAccessAndSavesAreVersions() throws IOException {
    Lines lines = new Lines();

    WikiBenchTrace.Report report =
        read(
            lines,
            "1 1190146243.303 " + HOST + "/wiki/Git -",
            "2 1190146244.5 " + HOST + "/w/index.php?title=Git&action=submit save",
            "3 1190146244.5009 " + HOST + "/w/index.php?title=Git&action=submit save",
            "4 1190146245 " + HOST + "/wiki/Git -",
            "5 1190146246 " + HOST + "/w/index.php?title=New&action=submit save");

    assertThat(lines.all)
        .containsExactly(
            "Git 1190146243303",
            "Git 1190146243303 LATEST",
            "Git 1190146244500",
            "Git 1190146244501",
            "Git 1190146245000 LATEST",
            "New 1190146246000");
    assertThat(report).isEqualTo(new WikiBenchTrace.Report(5, 3, 2, 0, 0, 0, 0));
    assertThat(lines.values.get(1)).hasSameSizeAs(lines.values.get(0));
    assertThat(lines.values.get(1)).isNotEqualTo(lines.values.get(0));
    assertThat(lines.values.get(2)).isNotEqualTo(lines.values.get(1));
  }

  @ParameterizedTest
  @CsvSource({
    "/wiki/Git,                                        Git LATEST",
    "/wiki/git#History,                                Git LATEST",
    "/wiki/Caf%C3%A9,                                  Caf\u00e9 LATEST",
    "/wiki/%C3%A9t%C3%A9,                              \u00c9t\u00e9 LATEST",
    "/wiki/100%,                                       100% LATEST",
    "/wiki/C%2B%2B,                                    C++ LATEST",
    "/wiki/C++,                                        C++ LATEST",
    "/wiki/AC/DC,                                      AC/DC LATEST",
    "/wiki/Alan%20Turing,                              Alan_Turing LATEST",
    "/w/index.php?title=Alan+Turing&action=history,    Alan_Turing HISTORY",
    "/w/index.php?title=Git&oldid=12,                  Git OLD",
    "/w/index.php?title=Git&diff=prev&oldid=12,        Git OLD",
    "/w/index.php?title=Git&action=edit,               Git LATEST",
    "/wiki/Git?action=raw,                             Git LATEST",
  })
  void anAddressIsOfAPage(String address, String expected) throws IOException {
    Lines lines = new Lines();

    read(lines, "1 1.000 " + HOST + address + " -");

    String[] words = expected.split(" ", -1);
    assertThat(lines.all).containsExactly(words[0] + " 1000", words[0] + " 1000 " + words[1]);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/",
        "/wiki/",
        "/wiki/Special:Search?search=x",
        "/wiki/special:Search",
        "/w/index.php?title=Git&action=watch",
        "/w/index.php?search=x",
        "/skins-1.5/common/wikibits.js?97",
      })
  void otherAddressesAreLeftOut(String address) throws IOException {
    Lines lines = new Lines();

    WikiBenchTrace.Report report = read(lines, "1 1.000 " + HOST + address + " -");

    assertThat(lines.all).isEmpty();
    assertThat(report.otherRequests()).isOne();
  }

  @Test
  void otherHostsLongNamesAndMalformedLinesAreCounted() throws IOException {
    Lines lines = new Lines();

    WikiBenchTrace.Report report =
        read(
            lines,
            "1 1.0 http://de.wikipedia.org/wiki/Git -",
            "2 1.0 " + HOST + "/wiki/" + "x".repeat(601) + " -",
            "3 1.0 " + HOST + "/wiki/Git",
            "4 1.0 " + HOST + "/wiki/Git perhaps",
            "x 1.0 " + HOST + "/wiki/Git -",
            "6 later " + HOST + "/wiki/Git -",
            "7 1.0 ftp://en.wikipedia.org/wiki/Git -",
            "",
            "9 1.0 HTTP -",
            "10 1.0 http://EN.wikipedia.org/wiki/Git -");

    assertThat(lines.all).containsExactly("Git 1000", "Git 1000 LATEST");
    assertThat(report).isEqualTo(new WikiBenchTrace.Report(10, 0, 1, 1, 0, 1, 7));
  }

  @Test
  void aLogWithoutAnyLineOfTheFormatIsRefused() {
    assertThatThrownBy(() -> read(new Lines(), "something else"))
        .isInstanceOf(MalformedTraceException.class)
        .hasMessageContaining("a counter, a time, a URL and a flag");
  }

  @Test
  void aPackedLogIsReadAndALimitEndsIt() throws IOException {
    Path file = directory.resolve("log.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      for (int i = 1; i <= 9; i++) {
        String line = i + " " + i + ".0 " + HOST + "/wiki/Git -\n";
        out.write(line.getBytes(StandardCharsets.US_ASCII));
      }
    }
    Lines lines = new Lines();

    WikiBenchTrace.Report report =
        WikiBenchTrace.read(file, new WikiBenchTrace.Options("en.wikipedia.org", 10, 1, 4), lines);

    assertThat(report.lines()).isEqualTo(4);
    assertThat(lines.all).hasSize(5);
  }

  @Test
  void theSampleIsReadAndEqualSeedsMakeEqualValues() throws IOException {
    Lines one = new Lines();
    Lines other = new Lines();

    WikiBenchTrace.Report report = WikiBenchTrace.readSample(OPTIONS, one);
    WikiBenchTrace.readSample(OPTIONS, other);

    assertThat(report).isEqualTo(new WikiBenchTrace.Report(66, 5, 55, 2, 4, 0, 0));
    assertThat(one.all).isEqualTo(other.all);
    for (int i = 0; i < one.values.size(); i++) {
      assertThat(one.values.get(i)).isEqualTo(other.values.get(i));
    }
  }

  @Test
  void impossibleOptionsAreRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> new WikiBenchTrace.Options(" ", 1, 1, 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new WikiBenchTrace.Options("host", 0, 1, 0))
        .withMessageContaining("mean bytes=0");
  }
}
