/* assets.h - the files that are part of the library: CMakeLists.txt makes the arrays of them. They are written in
 * ASCII, with escapes for all else. */
#ifndef REPORT_ASSETS_H
#define REPORT_ASSETS_H

extern const char asset_figure_css[];     /* src/report/svg/figure.css */
extern const char asset_page_css[];       /* src/report/html/page.css */
extern const char asset_page_js[];        /* src/report/html/page.js */
extern const char asset_torchvision_py[]; /* src/report/export/torchvision.py */

#endif
