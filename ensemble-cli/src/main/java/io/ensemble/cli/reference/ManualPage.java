package io.ensemble.cli.reference;

import io.ensemble.cli.output.VersionProvider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi.Text;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The manual pages of the command line, in roff with the macros of man(7): a page for each command
 * that is not hidden, named as {@code ensemble-caches-create.1}.
 */
final class ManualPage {

  /** So wide that picocli breaks no line: roff does. */
  private static final int COLUMNS = 10_000;

  private static final Map<String, String> ENVIRONMENT =
      Map.of(
          "JAVA_HOME",
          "Java runtime, 17 or later; without it, the first java of the PATH.",
          "ENSEMBLE_JAVA_OPTS",
          "Further options of the JVM, such as -Xmx2g.",
          "ENSEMBLE_CATALOG",
          "Catalog of the sites and caches; see --catalog.",
          "ENSEMBLE_FEDERATION",
          "File that describes a federation; see --federation.");

  private final StringBuilder roff = new StringBuilder();
  private final CommandLine command;
  private final CommandSpec spec;
  private final Help help;

  private ManualPage(CommandLine command) {
    command.setUsageHelpAutoWidth(false);
    command.setUsageHelpWidth(COLUMNS);
    this.command = command;
    this.spec = command.getCommandSpec();
    this.help = new Help(spec, Help.defaultColorScheme(Help.Ansi.OFF));
  }

  /** The pages of {@code program} and of all commands below it, by file name. */
  static Map<String, String> pages(CommandLine program) {
    Map<String, String> pages = new LinkedHashMap<>();
    add(program, pages);
    return pages;
  }

  private static void add(CommandLine command, Map<String, String> pages) {
    if (isDescribed(command)) {
      pages.put(name(command) + ".1", new ManualPage(command).page());
      command.getSubcommands().values().stream().distinct().forEach(one -> add(one, pages));
    }
  }

  private static boolean isDescribed(CommandLine command) {
    return !command.getCommandSpec().usageMessage().hidden()
        && !(command.getCommand() instanceof CommandLine.HelpCommand);
  }

  private static String name(CommandLine command) {
    return command.getCommandSpec().qualifiedName("-");
  }

  private String page() {
    String title = name(command).replace("-", "\\-").toUpperCase(Locale.ROOT);
    macro(
        ".TH "
            + title
            + " 1 \"\" \""
            + escape(new VersionProvider().getVersion()[0])
            + "\" Ensemble");
    macro(".SH NAME");
    List<String> description = paragraphs(help.description());
    String summary = description.isEmpty() ? "" : description.get(0).replaceAll("\\.$", "");
    macro(name(command).replace("-", "\\-") + " \\- " + escape(summary));
    macro(".SH SYNOPSIS");
    text(help.synopsis(0));
    section("DESCRIPTION", description);
    arguments();
    options();
    commands();
    codes();
    if (spec.parent() == null) {
      macro(".SH ENVIRONMENT");
      ENVIRONMENT.entrySet().stream()
          .sorted(Map.Entry.comparingByKey())
          .forEach(one -> item(one.getKey(), one.getValue()));
    }
    related();
    return roff.toString();
  }

  private void section(String heading, List<String> paragraphs) {
    if (!paragraphs.isEmpty()) {
      macro(".SH " + heading);
      for (String paragraph : paragraphs) {
        macro(".PP");
        text(paragraph);
      }
    }
  }

  private void arguments() {
    List<PositionalParamSpec> shown =
        spec.positionalParameters().stream().filter(one -> !one.hidden()).toList();
    if (!shown.isEmpty()) {
      macro(".SH ARGUMENTS");
      for (PositionalParamSpec one : shown) {
        Text[][] rows =
            help.createDefaultParameterRenderer()
                .render(one, help.createDefaultParamLabelRenderer(), help.colorScheme());
        item(label(one), lastColumn(rows));
      }
    }
  }

  private void options() {
    List<OptionSpec> shown = spec.options().stream().filter(one -> !one.hidden()).toList();
    if (!shown.isEmpty()) {
      macro(".SH OPTIONS");
      shown.stream()
          .sorted((a, b) -> a.longestName().compareTo(b.longestName()))
          .forEach(
              one -> {
                Text[][] rows =
                    help.createDefaultOptionRenderer()
                        .render(one, help.createDefaultParamLabelRenderer(), help.colorScheme());
                item(String.join(", ", one.names()) + label(one), lastColumn(rows));
              });
    }
  }

  private String label(ArgSpec argument) {
    return help.createDefaultParamLabelRenderer()
        .renderParameterLabel(argument, Help.Ansi.OFF, List.of())
        .toString();
  }

  private void commands() {
    List<CommandLine> shown =
        command.getSubcommands().values().stream()
            .distinct()
            .filter(ManualPage::isDescribed)
            .toList();
    if (!shown.isEmpty()) {
      macro(".SH COMMANDS");
      for (CommandLine one : shown) {
        Help ofCommand = new Help(one.getCommandSpec(), Help.defaultColorScheme(Help.Ansi.OFF));
        List<String> described = paragraphs(ofCommand.description());
        item(
            one.getCommandName(),
            (described.isEmpty() ? "" : described.get(0) + " ") + "See " + name(one) + "(1).");
      }
    }
  }

  private void codes() {
    Map<String, String> codes = spec.root().usageMessage().exitCodeList();
    if (!codes.isEmpty()) {
      macro(".SH EXIT STATUS");
      codes.forEach(this::item);
    }
  }

  private void related() {
    List<String> related = new ArrayList<>();
    if (spec.parent() != null) {
      related.add(name(spec.parent().commandLine()) + "(1)");
    }
    command.getSubcommands().values().stream()
        .distinct()
        .filter(ManualPage::isDescribed)
        .forEach(one -> related.add(name(one) + "(1)"));
    section("SEE ALSO", related.isEmpty() ? related : List.of(String.join(", ", related)));
  }

  private void item(String term, String description) {
    macro(".TP");
    macro(".B " + escape(term));
    text(description);
  }

  /** The last column of what picocli shows in a table, as one text. */
  private static String lastColumn(Text[][] rows) {
    return Arrays.stream(rows)
        .map(row -> row[row.length - 1].toString().strip())
        .collect(Collectors.joining(" "));
  }

  private static List<String> paragraphs(String text) {
    return text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
  }

  private void text(String text) {
    text.lines().map(String::strip).filter(line -> !line.isEmpty()).forEach(l -> macro(guard(l)));
  }

  /** A line of text, which roff must not read as a request. */
  private static String guard(String line) {
    String escaped = escape(line);
    return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
  }

  private static String escape(String text) {
    return text.replace("\\", "\\e").replace("-", "\\-");
  }

  private void macro(String line) {
    roff.append(line).append('\n');
  }
}
