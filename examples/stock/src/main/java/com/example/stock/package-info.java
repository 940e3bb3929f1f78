/** An application that depends on Ensemble by its BOM, and works on a federation that runs. */
@NullMarked
package com.example.stock;

import org.jspecify.annotations.NullMarked;
