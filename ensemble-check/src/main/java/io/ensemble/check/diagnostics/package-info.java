/**
 * What a bundle of diagnostics may hold: entries of bounded size under fixed names, without known
 * secrets. Pure: the command that collects them reads and writes.
 */
@NullMarked
package io.ensemble.check.diagnostics;

import org.jspecify.annotations.NullMarked;
