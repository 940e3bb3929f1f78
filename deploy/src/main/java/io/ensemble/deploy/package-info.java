/**
 * Build steps of the distribution: the files of an installation are staged in one directory, from
 * which archives and packages are made. No other module uses this package.
 */
@NullMarked
package io.ensemble.deploy;

import org.jspecify.annotations.NullMarked;
