package io.ensemble.cli.tree;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.EnsembleCache;
import io.ensemble.Mode;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.EnsembleObjectStore;
import io.ensemble.tree.SharedTree;
import io.ensemble.tree.TreeException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.HexFormat;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The tree of a command, and the connection to it. */
final class TreeOptions {

  @Mixin FederationOption federation = new FederationOption();

  @Parameters(index = "0", paramLabel = "CACHE", description = "Name of the MWMR cache.")
  String cache = "";

  @Parameters(index = "1", paramLabel = "TREE", description = "Name of the tree.")
  String tree = "";

  @Option(
      names = "--user",
      paramLabel = "USER",
      description =
          "The user whose permissions and quota apply; not verified. Default: the administrator.")
  String user = SharedTree.ADMINISTRATOR;

  /** Uses the tree, which must exist. */
  <R> R call(Function<SharedTree, R> use) {
    return call(false, use);
  }

  /** Uses the tree; creates it first if that is permitted and there is none. */
  <R> R call(boolean create, Function<SharedTree, R> use) {
    try (FederationConnection connected = federation.connect()) {
      EnsembleCache<String, byte[]> entries = connected.cache(cache);
      if (entries.definition().mode() != Mode.MWMR) {
        throw new CommandException("trees require an MWMR cache; cache=%s".formatted(cache));
      }
      try (AtomicObjectFactory factory = AtomicObjectFactory.on(new EnsembleObjectStore(entries));
          SharedTree opened =
              create
                  ? SharedTree.builder(factory, tree).user(user).open()
                  : SharedTree.builder(factory, tree).user(user).openExisting()) {
        return use.apply(opened);
      }
    } catch (TreeException.NoSuchTree e) {
      throw new CommandException("there is no tree '%s' on cache '%s'".formatted(tree, cache));
    } catch (TreeException.Unknown e) {
      throw new CommandException(
          ExitCode.UNKNOWN,
          "%s; './ensemble tree read' shows the result".formatted(e.getMessage()));
    } catch (TreeException e) {
      throw new CommandException(String.valueOf(e.getMessage()), e);
    }
  }

  /** The text of a value; hexadecimal digits if it is not UTF-8. */
  static String text(byte[] value) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString();
    } catch (CharacterCodingException e) {
      return HexFormat.of().formatHex(value);
    }
  }
}
