/** The demonstration of atomic objects. */
@NullMarked
package io.ensemble.cli.demo.objects;

import org.jspecify.annotations.NullMarked;
